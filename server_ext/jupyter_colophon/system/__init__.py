"""What the processes of a machine share: private folders, locked files, background threads."""
