//! Fields of few elements: the integers modulo a prime, and the polynomials over them modulo an irreducible one.

/// A field, with its elements numbered: digits of base p are a polynomial's coefficients.
pub(super) struct Field {
    prime: u32,
    degree: u32,
    size: u32,
    /// What the highest power of x that a polynomial doesn't have is, reduced.
    reduced: u32,
    /// A primitive element: its powers are all elements but 0.
    primitive: u32,
}

impl Field {
    /// The field of so many elements; none if their number isn't a power of a prime.
    pub(super) fn of(size: u32) -> Option<Field> {
        let prime = (2..=size).find(|divisor| size.is_multiple_of(*divisor))?;
        let (mut degree, mut rest) = (0, size);
        while rest % prime == 0 {
            (degree, rest) = (degree + 1, rest / prime);
        }
        if rest != 1 {
            return None;
        }
        // The first polynomial under which some element is primitive: then there are no divisors of 0.
        (0..size).find_map(|reduced| {
            let mut field = Field {
                prime,
                degree,
                size,
                reduced,
                primitive: 0,
            };
            field.primitive = (1..size).find(|element| field.is_primitive(*element))?;
            Some(field)
        })
    }

    /// How many elements it has.
    pub(super) fn size(&self) -> u32 {
        self.size
    }

    pub(super) fn sum(&self, one: u32, other: u32) -> u32 {
        let (mut sum, mut weight) = (0, 1);
        let (mut one, mut other) = (one, other);
        for _ in 0..self.degree {
            sum += (one + other) % self.prime * weight;
            (one, other, weight) = (one / self.prime, other / self.prime, weight * self.prime);
        }
        sum
    }

    pub(super) fn product(&self, one: u32, other: u32) -> u32 {
        // Horner's scheme: the other's coefficients from the highest on.
        let mut product = 0;
        for place in (0..self.degree).rev() {
            product = self.times_x(product);
            let digit = other / self.prime.pow(place) % self.prime;
            for _ in 0..digit {
                product = self.sum(product, one);
            }
        }
        product
    }

    /// A power of the primitive element.
    pub(super) fn power(&self, exponent: u32) -> u32 {
        (0..exponent).fold(1, |power, _| self.product(power, self.primitive))
    }

    /// A polynomial times x. With one coefficient x is 0, and nothing of the kind is asked.
    fn times_x(&self, polynomial: u32) -> u32 {
        let top = self.size / self.prime;
        let (highest, rest) = (polynomial / top, polynomial % top);
        let mut shifted = match self.degree {
            1 => 0,
            _ => rest * self.prime,
        };
        for _ in 0..highest {
            shifted = self.sum(shifted, self.reduced);
        }
        shifted
    }

    fn is_primitive(&self, element: u32) -> bool {
        let mut power = element;
        for exponent in 1..self.size {
            if power == 1 {
                return exponent == self.size - 1;
            }
            power = self.product(power, element);
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::Field;

    #[test]
    fn only_powers_of_primes_are_sizes() {
        let sizes: Vec<u32> = (2..=32).filter(|size| Field::of(*size).is_some()).collect();
        assert_eq!(
            sizes,
            [
                2, 3, 4, 5, 7, 8, 9, 11, 13, 16, 17, 19, 23, 25, 27, 29, 31, 32
            ]
        );
    }

    /// Sums and products are commutative, associative and distributive, and each element but 0 has an inverse.
    #[test]
    fn the_laws_of_a_field_hold() {
        for size in [2, 3, 4, 5, 7, 8, 9, 16, 25, 27] {
            let field = Field::of(size).unwrap();
            for a in 0..size {
                assert!(
                    a == 0 || (1..size).any(|b| field.product(a, b) == 1),
                    "{a} of {size}"
                );
                for b in 0..size {
                    assert_eq!(field.sum(a, b), field.sum(b, a));
                    assert_eq!(field.product(a, b), field.product(b, a));
                    for c in 0..size {
                        let apart = field.sum(field.product(a, b), field.product(a, c));
                        assert_eq!(field.product(a, field.sum(b, c)), apart);
                        assert_eq!(
                            field.product(a, field.product(b, c)),
                            field.product(field.product(a, b), c)
                        );
                    }
                }
            }
        }
    }
}
