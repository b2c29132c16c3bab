-- What a rule says, before those after it.
reply = pack('>I4i7I7c0', remaining, retry, reset, reply)
