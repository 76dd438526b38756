package candidate

// Left returns how much a PDB still allows, by its position in Rules.PDBs.
func (g *PodGate) Left(pdb int) int {
	if pdb < 0 || pdb >= len(g.pdbs) {
		return 0
	}
	return g.pdbs[pdb].left
}
