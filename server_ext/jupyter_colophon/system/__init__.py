"""Resources shared by the processes of a machine: private folders, locked files, background threads."""
