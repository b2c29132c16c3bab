-- Where memory has run out, Redis refuses to begin what may take some, but lets a script go on that has written before; so
-- what makes room in the end begins with a command that takes none and changes nothing.
call('PERSIST', KEYS[1])
