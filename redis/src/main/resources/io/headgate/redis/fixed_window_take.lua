-- Takes permits off the count of a window.
redis.call('SETRANGE', key, '14', struct.pack('>I6', count - refunded))
