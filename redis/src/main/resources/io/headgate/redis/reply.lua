-- What a rule says, as most kinds of limits do.
reply = struct.pack('>I4i7I7c0', remaining, retry, reset, reply)
