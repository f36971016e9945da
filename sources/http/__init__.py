"""Documents of a web site: those of a sitemap, or of a listing of files."""
