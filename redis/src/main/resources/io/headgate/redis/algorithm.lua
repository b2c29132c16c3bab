-- One kind of limit as a function, for scripts that ask several rules; joined in once for each kind.
-- It looks, and returns with its answer what would charge it.
look.KIND = function(key, at)
  local retry, remaining, reset
  -- @include look
  return retry, remaining, reset, function()
    -- @include charge
    return remaining, reset
  end
end
