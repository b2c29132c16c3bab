-- Charges a rule under which attempts count: with what all admit, or with the attempt, and then it looks again. An attempt
-- is charged as if it were admitted, but with no more permits than bring the count to the limit. Where this rule admitted,
-- and since the attempt would not, it says so in the retry.
if allowed and retry == 0 then
  -- @include charge
elseif allowed ~= nil then
  local admitted = retry == 0
  do
    local permits = permits
    -- @include attempt
    if permits > 0 then
      -- @include charge
    end
  end
  at = begins
  -- @include look
  -- @include uncharged
  if admitted and retry > 0 then
    retry = -1 - retry
  end
else
  -- @include uncharged
end
