"""The pages of Rubrica: FastAPI, Jinja templates, and scripts without a build step."""
