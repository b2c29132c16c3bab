-- What the first rule says, after the time: with this the script ends.
return pack('>I7I4i7I7', now, remaining, retry, reset) .. reply
