-- Answers, which shows that Redis runs scripts for us.
--
-- returns  'PONG'
return 'PONG'
