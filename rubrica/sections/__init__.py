"""The settings by section; :mod:`rubrica.settings` reads them."""
