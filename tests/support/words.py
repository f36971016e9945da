"""Words of norms, for texts that tests make up."""

WORDS = (
    *("бетон", "стена", "крыша", "пожар", "расчёт", "нагрузка"),
    *("beam", "slab", "roof", "fire", "load", "pipe", "left", "right"),
)
