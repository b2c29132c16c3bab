-- The same under a rule that charges only what it admits.
if allowed and retry == 0 then
  -- @include sliding_window_spare
end
