-- Health of a NodePool for Argo CD: how its roll stands, as the guard or the steward write it into the annotation disruptkit.dev/status.
-- It needs the library of strings, so the ConfigMap argocd-cm has to have both:
--   resource.customizations.health.karpenter.sh_NodePool: (this file)
--   resource.customizations.useOpenLibs.karpenter.sh_NodePool: "true"

-- Karpenter's own word on the NodePool comes first: what is not ready is not healthy, whatever its roll does.
local function ready()
  local conditions = obj.status ~= nil and obj.status.conditions or {}
  for _, condition in ipairs(conditions) do
    if condition.type == "Ready" and condition.status == "False" then
      return {status = "Degraded", message = condition.message}
    elseif condition.type == "Ready" and condition.status == "True" then
      return {status = "Healthy", message = condition.message}
    end
  end
  return {status = "Progressing", message = "Karpenter has not said yet whether the NodePool is ready"}
end

local karpenter = ready()
local annotations = obj.metadata ~= nil and obj.metadata.annotations or {}
local text = annotations["disruptkit.dev/status"]
if karpenter.status ~= "Healthy" or text == nil then
  return karpenter
end
if string == nil then
  return {status = "Unknown", message = 'the health check needs resource.customizations.useOpenLibs.karpenter.sh_NodePool: "true"'}
end

-- A quote within a string of JSON has a backslash before it, so what these find is never part of a message.
local phase = string.match(text, '"phase":"(%a+)"')
local generation = string.match(text, '"observedGeneration":(%d+)')

-- message reads the string of JSON that begins after "message":".
local function message()
  local _, at = string.find(text, '"message":"', 1, true)
  local said = ""
  while at ~= nil and at < #text do
    at = at + 1
    local c = string.sub(text, at, at)
    if c == '"' then
      return said
    elseif c == "\\" then
      at = at + 1
      c = string.sub(text, at, at)
      if c == "u" then -- such as \u003c
        local n = tonumber(string.sub(text, at + 1, at + 4), 16) or 63
        c = n < 128 and string.char(n) or "?"
        at = at + 4
      end
    end
    said = said .. c
  end
  return said
end

local health = {Done = "Healthy", Progressing = "Progressing", Waiting = "Progressing", Paused = "Suspended", Stuck = "Degraded"}
if phase == nil or generation == nil or health[phase] == nil then
  return {status = "Unknown", message = "the annotation disruptkit.dev/status cannot be read: is it of a newer disruptkit?"}
end
if obj.metadata.generation ~= nil and tonumber(generation) ~= tonumber(obj.metadata.generation) then
  return {status = "Progressing", message = "the NodePool has changed since its status was written"}
end
return {status = health[phase], message = message()}
