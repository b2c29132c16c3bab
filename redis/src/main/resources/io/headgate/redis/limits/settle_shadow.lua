-- Charges a rule in the shadow with what the others admit, if it would admit it too.
if allowed and retry == 0 then
  -- @include charge
else
  -- @include uncharged
end
