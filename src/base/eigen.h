/* Eigenvalues and eigenvectors of a dense symmetric matrix. */
#ifndef PL_EIGEN_H
#define PL_EIGEN_H

#include <stdint.h>

/* matrix: n by n, symmetric, overwritten. values: n, descending. vectors: n by n, row i belongs to values[i], unit
 * length, its largest component positive. scratch: 3 n. Always ends; values of a matrix with NaN are not meaningful. */
void pl_eigen_symmetric(uint32_t n, double *matrix, double *values, double *vectors, double *scratch);

#endif
