-- Returns PONG, which shows that Redis runs scripts.
--
-- Reply      'PONG'
-- Cost       constant
--
-- No variable crosses sections.

-- @section ping
-- Returns PONG.
return 'PONG'
