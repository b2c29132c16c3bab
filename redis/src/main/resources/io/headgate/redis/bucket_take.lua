-- Writes what a bucket owes after a refund.
redis.call('SETRANGE', key, '0', struct.pack('>I7I4I6I6', time, owed, parts, period))
