# The crash uses a sensor's calibration; who overwrote the pointer to it?
watch -l sensors[1]->calibration
reverse-continue
