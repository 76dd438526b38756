; Any number of zones, any number of nodes: two invariants of a sequential roll, proved by induction over what may happen.
;
;   TURNS   Nodes that the roll has started are in flight in at most one zone.
;   LIMITS  No zone has more of them in flight than its budget allowed when the last of them was let go, and the pool neither.
;
; README.md says what in the code each line stands for. prove.sh checks this file, and then again without each of its guards, which has to fail.
(set-logic ALL)

; ---- the guards: prove.sh takes away one after the other
(define-fun guard-gate () Bool true)        ; nothing starts while another zone is rolling
(define-fun guard-terminating () Bool true) ; a node that terminates still rolls
(define-fun guard-room () Bool true)        ; no more than the zone's budget leaves
(define-fun guard-in-flight () Bool true)   ; of which nodes in flight use up one each
(define-fun guard-pool () Bool true)        ; no more than the pool's budget leaves
(define-fun guard-last () Bool true)        ; only what the last decision allowed starts

; ---- the fleet
(declare-sort Zone 0)
(declare-fun allowed (Int) Int)     ; the zone's budget: a count, or a percentage of the nodes, or anything else
(declare-fun poolAllowed (Int) Int) ; the pool's
(assert (forall ((n Int)) (and (>= (allowed n) 0) (>= (poolAllowed n) 0))))

; A state, and the one after it (with a 2).
(declare-fun going (Zone) Int)  (declare-fun going2 (Zone) Int)  ; started by the roll, counted
(declare-fun ending (Zone) Int) (declare-fun ending2 (Zone) Int) ; started by the roll, and their instances terminate: no longer counted
(declare-fun base (Zone) Int)   (declare-fun base2 (Zone) Int)   ; how many nodes the zone had when the last of them was let go
(declare-const total Int)       (declare-const total2 Int)       ; going, in all zones
(declare-const poolBase Int)    (declare-const poolBase2 Int)    ; how many nodes the pool had then
(declare-const zone Zone)       (declare-const zone2 Zone)       ; where the last decision allowed nodes to go,
(declare-const left Int)        (declare-const left2 Int)        ; and how many of them have not started

; What others do is not limited at all. These are as the decision sees them.
(declare-fun nodes (Zone) Int)   ; that count
(declare-fun foreign (Zone) Int) ; of them, in flight for other reasons, or unknown ones
(declare-fun unknown (Zone) Int) ; in flight, nobody knows why
(declare-const poolNodes Int)
(declare-const poolForeign Int)  ; in flight for other reasons, not Ready, or missing
(assert (forall ((z Zone)) (and (>= (nodes z) 0) (>= (foreign z) 0) (>= (unknown z) 0))))
(assert (and (>= poolNodes 0) (>= poolForeign 0)))

; ---- the invariant
(define-fun inv () Bool (and
  (>= left 0)
  (forall ((z Zone)) (and (>= (going z) 0) (>= (ending z) 0)))
  (forall ((y Zone) (z Zone)) (=> (and (> (+ (going y) (ending y)) 0) (> (+ (going z) (ending z)) 0)) (= y z)))     ; TURNS
  (forall ((y Zone)) (=> (and (> left 0) (distinct y zone)) (= (+ (going y) (ending y)) 0)))
  (forall ((z Zone)) (<= (+ (going z) (ite (= z zone) left 0)) (allowed (base z))))                               ; LIMITS
  (<= (+ total left) (poolAllowed poolBase))
  (forall ((z Zone)) (=> (> (going z) 0) (= total (going z))))                      ; total is the sum, since it has one term
  (or (= total 0) (exists ((z Zone)) (> (going z) 0)))
  (>= total 0)))
(define-fun inv2 () Bool (and
  (>= left2 0)
  (forall ((z Zone)) (and (>= (going2 z) 0) (>= (ending2 z) 0)))
  (forall ((y Zone) (z Zone)) (=> (and (> (+ (going2 y) (ending2 y)) 0) (> (+ (going2 z) (ending2 z)) 0)) (= y z)))
  (forall ((y Zone)) (=> (and (> left2 0) (distinct y zone2)) (= (+ (going2 y) (ending2 y)) 0)))
  (forall ((z Zone)) (<= (+ (going2 z) (ite (= z zone2) left2 0)) (allowed (base2 z))))
  (<= (+ total2 left2) (poolAllowed poolBase2))
  (forall ((z Zone)) (=> (> (going2 z) 0) (= total2 (going2 z))))
  (or (= total2 0) (exists ((z Zone)) (> (going2 z) 0)))
  (>= total2 0)))

; ---- what may happen
(define-fun same () Bool (forall ((z Zone)) (and (= (going2 z) (going z)) (= (ending2 z) (ending z)))))
(define-fun sameBase () Bool (and (= poolBase2 poolBase) (forall ((z Zone)) (= (base2 z) (base z)))))
(define-fun sameLeft () Bool (and (= zone2 zone) (= left2 left)))

(define-fun rolling ((z Zone)) Int (+ (going z) (unknown z) (ite guard-terminating (ending z) 0)))
(define-fun remaining ((z Zone)) Int
  (let ((r (- (allowed (nodes z)) (ite guard-in-flight (+ (going z) (foreign z)) 0)))) (ite (> r 0) r 0)))

; A decision lets n nodes of one zone go, whichever: so the proof does not depend on the roll value, which may be lost or forged.
(declare-const n Int)
(define-fun decide () Bool (and
  same (= total2 total) (>= n 0) (= left2 n)
  (=> (> n 0) (and
    (=> guard-gate (forall ((y Zone)) (=> (distinct y zone2) (= (rolling y) 0))))
    (=> guard-room (<= n (remaining zone2)))
    (=> guard-pool (<= n (- (poolAllowed poolNodes) total poolForeign)))
    (= poolBase2 poolNodes)
    (forall ((z Zone)) (= (base2 z) (ite (= z zone2) (nodes z) (base z))))))
  (=> (= n 0) sameBase)))

; A node that was allowed starts, whatever has happened since.
(declare-const at Zone)
(define-fun start () Bool (and
  sameBase (> left 0) (=> guard-last (= at zone))
  (forall ((z Zone)) (and (= (going2 z) (+ (going z) (ite (= z at) 1 0))) (= (ending2 z) (ending z))))
  (= total2 (+ total 1)) (= zone2 zone) (= left2 (- left 1))))

; The instance of a node terminates; it is gone; or a node is gone at once, or stays after all.
(define-fun terminate () Bool (and
  sameBase sameLeft (> (going at) 0)
  (forall ((z Zone)) (and (= (going2 z) (- (going z) (ite (= z at) 1 0))) (= (ending2 z) (+ (ending z) (ite (= z at) 1 0)))))
  (= total2 (- total 1))))
(define-fun gone () Bool (and
  sameBase sameLeft (> (ending at) 0) (= total2 total)
  (forall ((z Zone)) (and (= (going2 z) (going z)) (= (ending2 z) (- (ending z) (ite (= z at) 1 0)))))))
(define-fun leave () Bool (and
  sameBase sameLeft (> (going at) 0) (= total2 (- total 1))
  (forall ((z Zone)) (and (= (going2 z) (- (going z) (ite (= z at) 1 0))) (= (ending2 z) (ending z))))))

; ---- the proof: "unsat" says that there is no counterexample
(push) (echo "at first, nothing is in flight")
(assert (and (= left 0) (= total 0) (forall ((z Zone)) (and (= (going z) 0) (= (ending z) 0)))))
(assert (not inv)) (check-sat) (pop)
(push) (echo "a decision")
(assert (and inv decide (not inv2))) (check-sat) (pop)
(push) (echo "a node starts")
(assert (and inv start (not inv2))) (check-sat) (pop)
(push) (echo "an instance terminates")
(assert (and inv terminate (not inv2))) (check-sat) (pop)
(push) (echo "a terminated instance is gone")
(assert (and inv gone (not inv2))) (check-sat) (pop)
(push) (echo "a node is gone at once")
(assert (and inv leave (not inv2))) (check-sat) (pop)

; ---- and that it speaks of something: "sat"
(push) (echo "three zones, two nodes in flight, two more allowed: sat")
(declare-const a Zone) (declare-const b Zone) (declare-const c Zone)
(assert (distinct a b c))
(assert (and inv decide (= n 2) (= (going a) 2) (= zone2 a) (= (foreign a) 1) (= (nodes b) 7))) (check-sat) (pop)
