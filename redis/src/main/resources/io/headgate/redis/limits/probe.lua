-- Writes a key that nothing reads. Success shows that Redis runs scripts and accepts writes.
--
-- KEYS       1 the key; it expires after a minute
-- Reply      '1'
-- Cost       SET
--
-- No variable crosses sections.

-- @section probe
-- Writes the key.
redis.call('SET', KEYS[1], '1', 'EX', 60)
return '1'
