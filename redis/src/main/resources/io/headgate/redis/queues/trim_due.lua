-- Whether there are done jobs that are too many or too old.
settles = settles or call('ZCARD', KEYS[#KEYS]) > keep_most
  or call('ZCOUNT', KEYS[#KEYS], '-inf', string.format('%.0f', now - keep_for)) > 0
