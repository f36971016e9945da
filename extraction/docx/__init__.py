"""Word documents, read as their author sees them with all changes accepted."""
