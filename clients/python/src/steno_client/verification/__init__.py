"""What proves that something comes from the service."""
