# A cent is missing. Back to the transfer whose fee was not booked.
break assertion.c:47 if fee == 1
reverse-continue
