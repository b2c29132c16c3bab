-- Tells how many shards of a queue are noted.
--
-- KEYS     1 the names
-- ARGV     1: the name
-- returns  how many; nothing when the name is not noted
-- costs    O(1)
-- @include calls
return call('HGET', KEYS[1], ARGV[1]) or ''
