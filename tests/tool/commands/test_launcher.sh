# SPDX-License-Identifier: MIT
# The tool under a launcher, without MPI: it never does the same work in every process, and one process speaks.
. "$(dirname "$0")/lib.sh"
models=$(dirname "$0")/../../../models
build=$(dirname "$tool")

# alone in a directory the tool finds no libgenalpha_mpi
mkdir "$work/bin"
cp "$tool" "$work/bin/genalpha"
built=$tool
tool=$work/bin/genalpha
unset LD_LIBRARY_PATH

# launched PROCESSES PROCESS VARIABLE VARIABLE: the environment of the next commands
launched() {
  unset OMPI_COMM_WORLD_SIZE OMPI_COMM_WORLD_RANK PMI_SIZE PMI_RANK SLURM_STEP_NUM_TASKS SLURM_PROCID \
    MV2_COMM_WORLD_SIZE MV2_COMM_WORLD_RANK
  export "$3=$1" "$4=$2"
}

sweep="sweep heavy-top --t-end 0.01 --vary h=1e-3,2e-3 --out $work/table.csv"
for names in 'OMPI_COMM_WORLD_SIZE OMPI_COMM_WORLD_RANK' 'PMI_SIZE PMI_RANK' \
  'MV2_COMM_WORLD_SIZE MV2_COMM_WORLD_RANK' 'SLURM_STEP_NUM_TASKS SLURM_PROCID'; do
  for command in "run $models/pendulum.yaml" "$sweep"; do
    launched 3 0 $names
    refused 1 '3 processes were started, but libgenalpha_mpi cannot be opened' $command
    launched 3 2 $names
    tool $command
    ok "${command%% *}, another process under $names: exit 1, not $code" code_is 1
    ok "${command%% *}, another process under $names: silent" err_empty
  done
done
ok "nothing was written" sh -c "! ls '$work'/*.csv* 2>/dev/null"

# variables of Slurm alone, with the library: MPI starts, finds one process, and both commands say so
if [ -e "$build/libgenalpha_mpi.so" ]; then
  tool=$built
  launched 2 0 SLURM_STEP_NUM_TASKS SLURM_PROCID
  for command in "run $models/pendulum.yaml" "$sweep"; do
    refused 1 '2 processes were started, but MPI finds 1' $command
  done
  ok "no table was written" [ ! -e "$work/table.csv" ]
  tool=$work/bin/genalpha
fi

# one process is as without a launcher; so are numbers that mean nothing
launched 1 0 OMPI_COMM_WORLD_SIZE OMPI_COMM_WORLD_RANK
succeeds run "$models/pendulum.yaml" --t-end 0.01
launched 4 x OMPI_COMM_WORLD_SIZE OMPI_COMM_WORLD_RANK
succeeds run "$models/pendulum.yaml" --t-end 0.01
launched '' 0 OMPI_COMM_WORLD_SIZE OMPI_COMM_WORLD_RANK
succeeds run "$models/pendulum.yaml" --t-end 0.01
succeeds $sweep

# commands for one process
launched 2 0 OMPI_COMM_WORLD_SIZE OMPI_COMM_WORLD_RANK
for command in 'converge heavy-top' "equilibrium $models/governor.yaml" "modes $models/governor.yaml" \
  "check $models/governor.yaml" 'reproduce' 'list' 'params' 'schema' 'plot x.csv' 'export x.h5' \
  "view $models/governor.yaml"; do
  refused 1 "2 processes were started, but '${command%% *}' cannot be divided among processes and would be done 2 times" \
    $command
done
refused 1 "'heavy-top' cannot be divided among processes: only mechanisms of model files can" run heavy-top
refused 2 "unknown option '--frob'" run --frob
succeeds --version
succeeds --help
succeeds run --help
ok "help says what --petsc is for" out_has 'under mpirun: solve linear systems by PETSc'
launched 2 1 OMPI_COMM_WORLD_SIZE OMPI_COMM_WORLD_RANK
succeeds --version
ok "one process prints" out_empty
tool converge heavy-top
ok "the others fail" code_is 1
ok "in silence" err_empty

unset OMPI_COMM_WORLD_SIZE OMPI_COMM_WORLD_RANK
refused 2 'petsc is for several processes' run "$models/pendulum.yaml" --petsc ''
finish
