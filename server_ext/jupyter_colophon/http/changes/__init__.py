"""The change log over HTTP: pages, long polls, server-sent events and WebSockets."""
