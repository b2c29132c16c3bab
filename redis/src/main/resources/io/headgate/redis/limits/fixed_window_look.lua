-- What a window says that ends when it is known to.
remaining = limit > count and limit - count or 0
retry = permits <= remaining and 0 or permits > limit and -1 or ends - now
reset = count > 0 and ends - now or 0
