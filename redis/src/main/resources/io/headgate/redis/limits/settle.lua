-- Charges what all rules admit.
if allowed then
  -- @include charge
else
  -- @include uncharged
end
