-- Writes the header of a queue as it is now; header_read.lua says what is in it.
call('SET', KEYS[1], pack('>BBI6I6I6I7I7I3', 1, paused, seq, jobs, leased, awaited, ends, longest))
