"""Pure maths on arrays: intervals, paired tests, rank groups, power, agreement. No I/O."""
