-- Has the command behind this script read new entries: it reads a stream of this call's own as well, and nothing at all where
-- that is missing, so it is there only from here to the end of the call. Whoever sent both removes it, or time does.
call('XGROUP', 'CREATE', KEYS[18], ARGV[1], '$', 'MKSTREAM')
call('PEXPIRE', KEYS[18], 1000)
opened, more = 1, now
