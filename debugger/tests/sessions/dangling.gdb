# A watched session's memory holds a packet. When was the session given up?
watch -l sessions[2]
reverse-continue
