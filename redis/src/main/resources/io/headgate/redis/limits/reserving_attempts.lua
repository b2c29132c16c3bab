-- Charges a rule that is decided apart and counts attempts. Where it admits and others deny, that is an attempt: the charge
-- is the same, and what is so then it says when it has looked again.
-- @include settle
local charged_remaining, charged_reset, charged_delay, admitted = remaining, reset, delay, retry == 0
if admitted then
  at = begins
  -- @include look
  -- @include uncharged
  if retry > 0 then
    retry = -1 - retry
  end
end
-- @include reply
remaining, reset, delay = charged_remaining, charged_reset, charged_delay
if admitted then
  retry = 0
end
