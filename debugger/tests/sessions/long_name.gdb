# The hart jumped to letters. Back to the return that did it, then to who wrote its address.
reverse-stepi
watch -l *(int *)($sp - 4)
reverse-continue
