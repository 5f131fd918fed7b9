# Data was executed: the table of operations leads there. Who wrote its first entry?
reverse-stepi
watch -l main::machine.operations[0]
reverse-continue
