-- Whether there are done jobs that are too many or too old.
settles = settles or call('ZCARD', KEYS[14]) > keep_most
  or call('ZCOUNT', KEYS[14], '-inf', string.format('%.0f', now - keep_for)) > 0
