-- What a step asks for, and at what time.
permits, many, now = unpack('>I4I2I7', steps, base / rules * 13 + 1)
