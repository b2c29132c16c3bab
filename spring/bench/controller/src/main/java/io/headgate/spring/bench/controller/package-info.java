/** A small controller whose requests are not limited, limited by Headgate, or limited by the Bucket4j starter. */
@NullMarked
package io.headgate.spring.bench.controller;

import org.jspecify.annotations.NullMarked;
