"""What DataHub's model and protocol add to ours: pure rules, no input or output."""
