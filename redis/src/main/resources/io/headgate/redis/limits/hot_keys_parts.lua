-- Reads what all instances know of a policy's hot keys of two minutes; writes nothing
--
-- KEYS[1], KEYS[2] the parts of each minute, hashes
-- Returns the parts of one minute after those of the other, each of which says how long it is
-- Cost: the bytes of all parts, of 100 instances at most 3.2 MB
return table.concat(redis.call('HVALS', KEYS[1])) .. table.concat(redis.call('HVALS', KEYS[2]))
