-- Answers, to show that Redis executes scripts.

-- @section ping
-- Answers, which shows that Redis runs scripts for us.
--
-- returns  'PONG'
return 'PONG'
