"""How the boundary scorer is trained: pairs from structure, network, loop, export."""
