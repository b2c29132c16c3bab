-- Notes the name of a queue, so that it can be listed.
--
-- KEYS     1 the names
-- ARGV     1: the name
-- returns  nothing
-- @include calls
call('SADD', KEYS[1], ARGV[1])
return ''
