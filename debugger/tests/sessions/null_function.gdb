# A function pointer is 0. Nobody wrote it, but its neighbour was written: by whom?
reverse-stepi
watch -l devices[1].operations.write
reverse-continue
