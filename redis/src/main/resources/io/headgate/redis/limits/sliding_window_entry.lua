-- How an entry of a sliding window is packed, and after how many microseconds its time begins anew.
format = width == 4 and '>I4' or width == 5 and '>I5' or width == 6 and '>I6' or '>I7'
range = width == 4 and 134217728 or width == 7 and 281474976710656 or 2 ^ (8 * width - 5)
